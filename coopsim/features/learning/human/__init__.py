"""Windows on episodes: what `render_mode="human"` opens, and the states that it is fed with."""
