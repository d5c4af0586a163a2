"""The rosbridge protocol, version 2: JSON over WebSockets, for web pages, roslibpy, roslibjs and MATLAB."""
