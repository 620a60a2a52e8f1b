#!/usr/bin/env node
// What `npx` starts: the same as `npm run mcp`, from wherever it was installed.
import { register } from 'tsx/esm/api'

register()
await import('./main.ts')
