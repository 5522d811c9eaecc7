"""Question -> strategy -> what is searched for."""
