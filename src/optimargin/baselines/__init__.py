"""The methods that the paper compares with, each a scikit-learn classifier of its own."""
