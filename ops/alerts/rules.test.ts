import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { complaintsAbout } from '#ops/prometheus/complaints.fixture.ts'
import { describeWithPromtool, promtool } from '#test/doubles/promtool.ts'
import { durationOf } from './durations.ts'
import { known } from './known-series.fixture.ts'
import { isAlert, type Rule, ruleFile, ruleGroups } from './rules.ts'

type Edges = {
  tests: { alert_rule_test?: { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] }[] }[]
}

const rules = (dividedBy = 1): Rule[] => ruleGroups({ dividedBy }).flatMap((group) => group.rules)
const alerts = rules().filter(isAlert)

const inSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 }

/** The lengths of all times that a rule waits for or looks back over, in seconds. */
function secondsIn(rule: Rule): number[] {
  const waits = isAlert(rule) ? `for ${rule.for}` : ''
  const times = `${rule.expr} ${waits}`.matchAll(/(?:\[|offset |for )(\d+)(h|ms|m|s)\b/g)
  return [...times].map(([, count, unit = '']) => Number(count) * (inSeconds[unit] ?? Number.NaN))
}

describe('rules for Prometheus', () => {
  it('are up to date: `npm run alerts`', () => {
    expect(readFileSync('ops/alerts/generated/video-intelligence.yaml', 'utf8')).to.equal(ruleFile())
  })

  for (const [at, rule] of rules().entries())
    it(`read existing series: ${isAlert(rule) ? rule.alert : rule.record} (${at})`, () => {
      expect(complaintsAbout(rule.expr, known)).to.deep.equal([])
      if (!isAlert(rule)) return
      const named = [...rule.annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
      expect(named.filter((label) => !rule.expr.includes(`${label}`))).to.deep.equal([])
    })

  it('change only their windows when these are divided', () => {
    const names = (some: Rule[]) => some.map((rule) => (isAlert(rule) ? rule.alert : rule.record))
    expect(names(rules(60))).to.deep.equal(names(rules()))
    expect(ruleFile({ dividedBy: 60 }))
      .to.contain('[10s] offset 5s')
      .and.to.contain('_oldest_seconds{job=~"video-intelligence/.+"}) > 10\n')
    const seconds = (some: Rule[]) => some.flatMap(secondsIn)
    expect(seconds(rules(60))).to.deep.equal(seconds(rules()).map((each) => each / 60))
  })

  it('write durations in the largest unit', () => {
    expect([21_600, 3600, 1800, 90, 30, 0.5].map(durationOf)).to.deep.equal(['6h', '1h', '30m', '90s', '30s', '500ms'])
  })
})

describe('the edges of the rules', () => {
  const edges = globSync('ops/alerts/edges/*.yaml').flatMap(
    (path) => (parse(readFileSync(path, 'utf8')) as Edges).tests,
  )
  const looks = edges.flatMap(({ alert_rule_test: some = [] }) => some)

  for (const { alert, labels } of alerts)
    it(`place ${alert} ${labels.burn ?? ''} on both sides`, () => {
      const ofAlert = looks.filter(({ alertname }) => alertname === alert)
      const fires = ({ exp_alerts }: (typeof looks)[number]) =>
        exp_alerts.some(({ exp_labels: { burn } }) => burn === labels.burn)
      expect(ofAlert.some(fires), 'fires').to.equal(true)
      expect(
        ofAlert.some((look) => !fires(look)),
        'does not',
      ).to.equal(true)
    })
})

describeWithPromtool('rules for Prometheus, by promtool', () => {
  it('are valid', () => promtool('check', 'rules', 'ops/alerts/generated/video-intelligence.yaml'))

  for (const path of globSync('ops/alerts/edges/*.yaml'))
    it(`alert just above their edges, and not just below: ${path}`, () => promtool('test', 'rules', path)).timeout(
      60_000,
    )
})
