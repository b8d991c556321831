"""Methods of other papers, each with its features, model and trainer, registered like anyone's plug-in."""
