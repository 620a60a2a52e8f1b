"""The client with ``await``. ``npm run contracts:python`` generates the client without it, in ``_sync``."""
