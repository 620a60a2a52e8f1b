import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { platformAt, platformNames, profilePlatforms } from './registry.ts'

const contracts = join(import.meta.dirname, '../../contracts')
const profiles: readonly string[] = profilePlatforms.map(({ name }) => name)
const listed = [...profiles, 'youtube']
const lists = [platformNames, [...platformNames, 'direct'], profiles, listed].map((names) => [...names].sort().join())

/** The enums with more than one value, anywhere in a schema, that name a platform. */
function enumsOf(schema: unknown): string[][] {
  if (typeof schema !== 'object' || schema === null) return []
  const inner = Object.values(schema).flatMap(enumsOf)
  const given = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : []
  // null is allowed beside the platforms: it means that the platform is unknown
  const values = given.filter((value) => value !== null).map(String)
  const names = values.some((value) => platformNames.some((name) => name === value))
  return names && values.length > 1 ? [values, ...inner] : inner
}

describe('the list of platforms', () => {
  it('equals the list in the newest version of every schema', async () => {
    const paths = await Array.fromAsync(glob('{events,tasks,http}/**/*.{json,yaml}', { cwd: contracts }))
    const names = new Set(paths)
    const isNewest = (path: string) =>
      !names.has(path.replace(/\.v(\d+)\.json$/, (_, version) => `.v${Number(version) + 1}.json`)) ||
      !/\.v\d/.test(path)
    let seen = 0
    for (const path of paths.filter(isNewest)) {
      for (const values of enumsOf(parse(readFileSync(join(contracts, path), 'utf8')))) {
        expect(lists, path).to.include(values.sort().join())
        seen++
      }
    }
    expect(seen).to.be.greaterThan(5)
  })

  it('has the platforms of the profile routes', () => {
    const { paths } = parse(readFileSync(join(contracts, 'http/openapi.yaml'), 'utf8'))
    const routes = Object.keys(paths).filter((path) => path.endsWith('/profile'))
    expect(routes.sort()).to.deep.equal(profiles.map((name) => `/v1/${name}/profile`).sort())
  })

  it('gives each host to one platform', () => {
    expect(platformAt('youtu.be')?.name).to.equal('youtube')
    expect(platformAt('notx.com')).to.equal(undefined)
  })
})
