"""The client with ``await``. ``npm run contracts:python`` writes the one without from it, into ``_sync``."""
