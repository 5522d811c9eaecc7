"""path -> Document -> Section -> Parent/Child -> vectors -> stores."""
