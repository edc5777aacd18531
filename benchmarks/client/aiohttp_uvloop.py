"""`with_aiohttp` on uvloop, which not many of its users run."""

import uvloop
from with_aiohttp import main

uvloop.run(main())
