"""Activity: who changed what, over every face. It reads revisions behind the walls of the objects that they are about."""
