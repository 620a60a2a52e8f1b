import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { known } from '#ops/alerts/known-series.fixture.ts'
import { isAlert, ruleGroups, runbookOf } from '#ops/alerts/rules.ts'
import { complaintsAbout } from '#ops/prometheus/complaints.fixture.ts'
import { failures } from '#packages/domain/job/failure.ts'
import { variables } from '#packages/foundation/config/config.ts'
import { assertValid, describeWithPromtool } from '#test/doubles/promtool.ts'
import { queriesIn } from '#test/telemetry/panels.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)
const rules = ruleGroups().flatMap((group) => group.rules)
const alerts = [...new Set(rules.filter(isAlert).map(({ alert }) => alert))]

const codesOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** Prometheus itself makes `up`. */
const ofPrometheus = new Map([...known, ['up', ['job']] as const])
const runbooks = alerts.map(runbookOf)
const documents = ['ops/runbooks/README.md', ...runbooks]

describe('runbooks', () => {
  it('exist for every alert, and for no other; the README links to each', () => {
    const files = globSync('ops/runbooks/*.md').map((path) => basename(path))
    expect(files.sort()).to.deep.equal(documents.map((path) => basename(path)).sort())
    const readme = read('ops/runbooks/README.md')
    expect(alerts.filter((alert) => !readme.includes(`| ${alert} |`))).to.deep.equal([])
    expect(runbooks.filter((path) => !readme.includes(`](${basename(path)})`))).to.deep.equal([])
  })

  it('have the severity of each alert in the README', () => {
    const readme = read('ops/runbooks/README.md')
    for (const { alert, labels } of rules.filter(isAlert)) {
      const calls = labels.severity === 'page' ? 'a person, now' : 'a ticket'
      expect(readme).to.contain(`| ${alert} | ${calls} |`)
    }
  })

  for (const alert of alerts)
    it(`of ${alert} says what customers see, where to look, what to do and when it is over`, () => {
      const text = read(runbookOf(alert))
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
      expect(headings).to.deep.equal([alert, 'For customers', 'First look', 'What to do', 'It is over when'])
      expect(queriesIn(text)).to.not.be.empty
    })

  for (const path of documents)
    it(`name existing commands, metrics, variables, codes and documents: ${basename(path)}`, () => {
      const text = read(path)
      const codes = codesOf(text)
      expect(queriesIn(text).flatMap((query) => complaintsAbout(query, ofPrometheus))).to.deep.equal([])
      const metrics = codes.filter(
        (code) => /^video[_:]\w+$/.test(code) && !/^video_(dependency|folder|lane|outcome|read_way|step)$/.test(code),
      )
      expect(metrics.filter((name) => !known.has(name))).to.deep.equal([])
      const commands = [...text.matchAll(/\bnpm run ([\w:-]+)|\boperator ([a-z][\w-]+)/g)].map(
        ([, a, b]) => a ?? b ?? '',
      )
      expect(commands.filter((name) => !scripts.includes(name))).to.deep.equal([])
      const programs = [...text.matchAll(/\bops\/[a-z-]+(?= )/g)].map(([program]) => program)
      expect(programs.filter((program) => !existsSync(program))).to.deep.equal([])
      const ofConfig = Object.values(variables).map(({ variable }): string => variable)
      const named = codes.filter((code) => /^[A-Z]+(_[A-Z]+)+$/.test(code))
      expect(named.filter((name) => !ofConfig.includes(name))).to.deep.equal([])
      const outcomes = codes.filter((code) => /^[a-z]+_[a-z_]+$/.test(code) && !code.startsWith('video_'))
      const ofReady = ['clock_ahead', 'captions_withheld']
      expect(outcomes.filter((code) => !(code in failures) && !ofReady.includes(code))).to.deep.equal([])
      const links = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, to = '']) => join('ops/runbooks', to))
      expect(links.filter((to) => !existsSync(to))).to.deep.equal([])
    })
})

describeWithPromtool('queries of runbooks, by promtool', () => {
  it('are valid', () => assertValid(runbooks.flatMap((path) => queriesIn(read(path)))))
})
