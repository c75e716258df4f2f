"""`Holdfast()`: the whole service inside this process, with the methods of the client.

client.py     Holdfast and AsyncHoldfast; the same methods and types as `holdfast_client.Client` and `AsyncClient`
opening.py    opens a data folder: once per process, a running `serve` if there is one
keeper.py     the process that owns the folder's Postgres, for all processes that use it
instance.py   the app in this process, on that Postgres

A call runs the app's own routes on an event loop in a thread of this process, without a socket. The keeper stops Postgres
when the last process that uses the folder has closed it or died.
"""
