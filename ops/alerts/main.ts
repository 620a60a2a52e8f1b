/**
 * `npm run alerts`: generates Prometheus' rules, ops/alerts/generated/video-intelligence.yaml, from ops/alerts/rules.ts.
 */
import { writeFile } from 'node:fs/promises'
import { ruleFile } from './rules.ts'

await writeFile(new URL('generated/video-intelligence.yaml', import.meta.url), ruleFile())
