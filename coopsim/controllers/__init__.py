"""Control laws as client processes: python -m coopsim.controllers.NAME --robots robot1 robot2 ..."""
