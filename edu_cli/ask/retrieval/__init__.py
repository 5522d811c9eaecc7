"""Question -> passages: legs, fusion, evidence, order, confidence."""
