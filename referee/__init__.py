"""What happened on the board: from observations to events. Pure: time enters with the observations."""
