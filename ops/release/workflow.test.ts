/** The workflow of a release. No test can run it, so it is linted and compared with the files that it names. */
import { accessSync, existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { endOfProgram } from '#test/doubles/program-end.ts'

const path = '.github/workflows/release.yml'
const text = readFileSync(path, 'utf8')
const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

type Job = { needs?: string | string[]; permissions: Record<string, string>; steps: Record<string, unknown>[] }
const { jobs, permissions } = parse(text) as { jobs: Record<string, Job>; permissions: object }

describe('the workflow of a release', () => {
  it('has nothing that actionlint reports', async function () {
    // ops/setup --dev builds it where Go is. Mocha reports it as skipped elsewhere.
    if (!existsSync('.tools/actionlint')) return this.skip()
    const { said } = await endOfProgram('.tools/actionlint', ['-no-color', '-oneline', '-stdin-filename', path, path])
    expect(said).to.equal('')
  }).timeout(20_000)

  it('gives each job only its own rights, and stores no secret', () => {
    expect(permissions).to.deep.equal({})
    expect(Object.values(jobs).filter((job) => job.permissions === undefined)).to.deep.equal([])
    const secrets = [...text.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name)
    expect(secrets).to.deep.equal(['GITHUB_TOKEN'])
    const writers = Object.entries(jobs).filter(([, job]) => job.permissions.contents === 'write')
    expect(writers.map(([name]) => name)).to.deep.equal(['release'])
  })

  it('publishes nothing before the check, and announces the release after everything else', () => {
    const { check, release, ...others } = jobs
    expect(check?.needs).to.equal(undefined)
    expect(Object.values(others).map(({ needs }) => needs)).to.deep.equal(Object.keys(others).map(() => 'check'))
    expect(release?.needs).to.deep.equal(Object.keys(others))
  })

  it('publishes an image for two machines with an SBOM and provenance, from a Dockerfile that exists', () => {
    const [built] =
      jobs.image?.steps.flatMap(({ uses, with: given }) => (/build-push/.test(`${uses}`) ? [given] : [])) ?? []
    expect(built).to.include({ platforms: 'linux/amd64,linux/arm64', sbom: true, provenance: 'mode=max', push: true })
    accessSync((built as { file: string }).file)
  })
})

describe('ops/release/notes', () => {
  const notesOf = async (wanted: string): Promise<string> => (await endOfProgram('ops/release/notes', [wanted])).said

  it('refuses a version that the packages do not have', async () => {
    expect(await notesOf('9.9.9')).to.contain(`package.json:  "version": "${version}"`)
  })

  it('prints the section of this version, and only that', async () => {
    expect(await notesOf(version))
      .to.match(/^\s*The first release\.|^\s*### /)
      .and.to.not.match(/^## /m)
  })
})
