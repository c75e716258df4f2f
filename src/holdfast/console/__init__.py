"""The console: web pages for the people who look after an agent's memory.

Pages are rendered here from Jinja2 templates and call the services of the faces under the signed-in user, as any route does:
a page shows what its user sees and nothing else. There is no SQL in this room. Scripts are small modules of our own and add
to pages that work without them.
"""
