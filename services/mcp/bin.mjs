#!/usr/bin/env node
// Started by `npx`: the same as `npm run mcp`, from any folder.
import { register } from 'tsx/esm/api'

register()
await import('./main.ts')
