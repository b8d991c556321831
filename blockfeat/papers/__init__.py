"""Methods of other papers, each with its features, model and trainer, registered as entry points."""
