import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

describe('.ci/run', () => {
  const directory = directoryForAll()
  let folder = ''
  before(async () => {
    folder = directory.path
    for (const name of ['.ci', 'ops/observe', 'commands', 'test/attacks/long'])
      await mkdir(join(folder, name), { recursive: true })
    await copyFile('.ci/run', join(folder, '.ci/run'))
    await writeFile(join(folder, 'test/attacks/long/a.test.ts'), '')
    await mkdir(join(folder, '.secantus'))
    await writeFile(join(folder, '.secantus/.setup-stamp'), '')
    const script = (path: string, text: string) =>
      writeFile(join(folder, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    await script('ops/setup', 'exit $SETUP_EXIT')
    await script('commands/npm', '[ "$*" != "$FAILING" ] || exit 7')
    await script('ops/observe/build-jaeger', '[ "$*" = --path ] && echo "$JAEGER"')
    for (const name of ['java', 'mvn', 'promtool', 'jaeger']) await script(`commands/${name}`, '')
  })

  /** Runs it. @returns its exit status, the rows of its table, and its last line */
  function run(env: { SETUP_EXIT?: string; FAILING?: string; JAEGER?: string } = {}) {
    const PATH = `${join(folder, 'commands')}:${process.env.PATH}`
    const JAEGER = join(folder, 'commands/jaeger')
    const options = { env: { SETUP_EXIT: '0', FAILING: '', JAEGER, ...env, PATH }, encoding: 'utf8' } as const
    const { status, stdout } = spawnSync(join(folder, '.ci/run'), options)
    const rows = stdout.matchAll(/^ {2}(\S.*?) +\d+:\d\d of +\d+ min {2}(.*)$/gm)
    return {
      status,
      rows: [...rows].map(([, name, words]) => `${name}: ${words}`),
      last: stdout.trim().split('\n').at(-1),
    }
  }

  it('ends with a table of its parts, and with 0 if all of them pass', () => {
    const { status, rows, last } = run()
    expect(rows.map((row) => row.replace(': ok', ''))).to.deep.equal([
      ...[
        'setup',
        'npm test',
        'demo',
        'bare',
        'engines',
        'faults',
        'attacks',
        'telemetry',
        'parquet',
        'workflow',
        'browser',
        'mongodb',
        'languages',
        'schemathesis',
        'clients',
      ],
    ])
    expect({ status, last }).to.deep.equal({ status: 0, last: '15 passed, 0 failed, 1 skipped' })
  })

  it('leaves telemetry out if Jaeger was never built', () => {
    const { status, rows, last } = run({ JAEGER: join(folder, 'nowhere') })
    expect(rows.join()).to.not.contain('telemetry')
    expect({ status, last }).to.deep.equal({ status: 0, last: '14 passed, 0 failed, 2 skipped' })
  })

  for (const [what, env, status, row] of [
    ['setup', { SETUP_EXIT: '3' }, 3, 'setup: FAILED with status 3'],
    ['the tests', { FAILING: 'test' }, 7, 'npm test: FAILED with status 7'],
    ['a later part', { FAILING: 'run demo' }, 7, 'demo: FAILED with status 7'],
    ['its last part', { FAILING: 'run test:clients' }, 7, 'clients: FAILED with status 7'],
  ] as const)
    it(`ends with the status of ${what} if that fails, and runs nothing after it`, () => {
      const ran = run(env)
      expect(ran.status).to.equal(status)
      expect(ran.rows.at(-1)).to.equal(row)
      expect(ran.rows.filter((each) => !each.endsWith(': ok'))).to.deep.equal([row])
    })

  /** Runs a copy in which these words are replaced, with a slow command. */
  async function runSlowly(
    replaced: Record<string, string>,
    npm: string,
  ): Promise<{ status: number | null; stdout: string }> {
    const [hurry, text] = [join(folder, '.ci/hurry'), await readFile(join(folder, '.ci/run'), 'utf8')]
    for (const word of Object.keys(replaced)) expect(text).to.contain(word)
    await writeFile(
      hurry,
      Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text),
      { mode: 0o755 },
    )
    await writeFile(join(folder, 'commands/npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 })
    const PATH = `${join(folder, 'commands')}:${process.env.PATH}`
    return spawnSync(hurry, { env: { SETUP_EXIT: '0', JAEGER: '', PATH }, encoding: 'utf8' })
  }

  it('leaves out what would not end within the hour on a slow machine, and says so', async () => {
    // It took two seconds for the tests: as if that were 29 minutes of the hour.
    const { status, stdout } = await runSlowly(
      { '3480 -': '7 -', '8 * 60': '0', 'tests / 8': '1' },
      '[ "$*" != test ] || sleep 2',
    )
    expect(stdout).to.match(/^ {2}demo .* ok$/m)
    expect(stdout).to.match(/^ {2}engines +left out: this machine is slow: 0 min are left of the hour$/m)
    expect(status).to.equal(0)
  })

  it('ends a part that runs into the end of the run, and reports it', async () => {
    const replaced = { '4440 -': '3 -', '$2 * 60': '$2' }
    const { status, stdout } = await runSlowly(replaced, '[ "$*" != "run demo" ] || exec sleep 600')
    expect(status).to.equal(124)
    expect(stdout).to.match(/^ {2}demo .* ENDED: it took too long, OVER BUDGET/m)
  })
})
