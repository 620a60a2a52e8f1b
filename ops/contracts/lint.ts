/**
 * `npm run contracts:lint`: prints what Redocly and Spectral complain about in contracts/generated/openapi.json, by
 * their recommended rules. Exits 1 for any complaint, warnings included. It uses their core packages, because their
 * command lines bring hundreds of packages or report home.
 */
import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

const file = new URL('../../contracts/generated/openapi.json', import.meta.url)

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: file.pathname, config })
  return problems.map(({ ruleId, message, location }) => `Redocly ${ruleId}: ${message} (${location[0]?.pointer})`)
}

async function spectral(source: string): Promise<string[]> {
  const linter = new Spectral()
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] })
  const problems = await linter.run(JSON.parse(source))
  return problems.map(({ code, message, path }) => `Spectral ${code}: ${message} (${path.join('.')})`)
}

const source = await readFile(file, 'utf8')
const complaints = (await Promise.all([redocly(source), spectral(source)])).flat()
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exitCode = 1
