import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { allOf } from '#packages/history/archive/archived-store.fixture.ts'
import { manifestOf } from '#packages/history/archive/open-archive.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { exportTo } from './export.ts'
import { appendGolden, commandOf, contextOf, eventPlaces, JOB, ORG, run } from './history.harness.ts'
import { openStoreHistory } from './open-history.ts'

for (const [place, open] of Object.entries(eventPlaces))
  describe(`npm run history -- export, of ${place}`, function () {
    this.timeout(120_000)
    const opened = openedForEach(open)
    beforeEach(() => appendGolden(opened.store))
    const archive = () => join(opened.folder, 'archive')

    async function exported(line: string, print: (line: string) => void, signal = new AbortController().signal) {
      const { config } = contextOf({ dataDir: opened.folder, env: opened.env })
      await using history = await openStoreHistory(config, opened.folder)
      const command = commandOf<'export'>(`export ${line}`)
      await exportTo(history, command, { exportDir: config.exportDir, print, signal, pauseMs: 10 })
    }

    /** The answers to the questions. @param more environment */
    async function answers(more: { env?: Record<string, string>; dataDir?: string; archive?: string } = {}) {
      const lines: string[] = []
      const [balance, job] = [`balance ${ORG}`, `job ${JOB}`].map((what) => `as-of 2100-01-01 ${what}`)
      const replay = 'replay --projection ops/analysts/template.ts --prefix job- --prefix credits-'
      for (const line of [`show ${JOB}`, `show ${ORG}`, `why ${JOB}`, `${balance}`, `${job}`, replay])
        lines.push(...(await run(line, { dataDir: opened.folder, env: opened.env, ...more })).lines)
      return lines
    }

    it('adds new events, and says how many', async () => {
      const lines: string[] = []
      await exported(`--to ${archive()} --json`, (line) => lines.push(line))
      const all = await allOf(opened.store)
      expect(JSON.parse(lines[0] ?? '')).to.include({ added: all.length, events: all.length })
      await exported(`--to ${archive()}`, (line) => lines.push(line))
      expect(lines[1]).to.match(/^0 events added; the archive has \d+ in \d+ files, up to position \d+$/)
      expect(manifestOf(archive()).position).to.be.at.least(all.at(-1)?.position ?? 0)
      expect(await failureOf(exported('--json', () => undefined))).to.match(/needs --to, or EXPORT_DIR/)
    })

    it('follows the store until it is stopped', async () => {
      const end = new AbortController()
      const lines: string[] = []
      const following = exported(`--to ${archive()} --follow --json`, (line) => lines.push(line), end.signal)
      await until('the first export is done', () => lines.length === 1)
      const event: DomainEvent = { type: 'OrganizationRegistered', data: { name: 'New' } }
      const { metadata } = readHistories()[0]?.events[0] ?? expect.fail('there are no histories')
      await opened.store.append('organization-new', 'no-stream', [{ ...event, id: randomUUID(), metadata }])
      await until('the new event is exported', () => lines.length === 2)
      end.abort()
      await following
      expect(JSON.parse(lines[1] ?? '')).to.include({ added: 1 })
    })

    it('answers questions about events that the store has removed, and without a store', async () => {
      await exported(`--to ${archive()} --with-content`, () => undefined)
      const before = await answers()
      expect(await answers({ archive: archive() })).to.deep.equal(before)
      const nowhere = { env: {}, dataDir: join(opened.folder, 'nowhere'), archive: archive() }
      expect(await answers(nowhere)).to.deep.equal(before)
      await opened.store.remove(streams.job(JOB))
      expect(await failureOf(answers())).to.match(/no job and no organization/)
      expect(await answers({ env: { ...opened.env, EXPORT_DIR: archive() } })).to.deep.equal(before)
    })
  })
