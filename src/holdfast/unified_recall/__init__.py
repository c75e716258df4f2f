"""What crosses faces: recall over all of them in one call. It calls the faces' services and holds no rules of theirs."""
