import type { Random } from '#test/doubles/random.ts'

/** Faults, with their rate in a run that has them: per call, per message or per second. */
const usualRates = {
  'crash before a call': 0.0015,
  'crash after a call': 0.0015,
  'answer lost': 0.03,
  'append refused': 0.03,
  'append late': 0.006,
  'read failed': 0.01,
  'views failed': 0.01,
  'views torn': 0.03,
  'call slow': 0.01,
  'publication failed': 0.03,
  'message dropped': 0.06,
  'message repeated': 0.1,
  'message delayed': 0.08,
  'feed delayed': 0.01,
  'process paused': 0.006,
  'process stopped': 0.004,
  'process cut off': 0.003,
  'cache emptied': 0.02,
  'store scavenged': 0.02,
  'views lost': 0.02,
  'owner changed': 0.05,
  'two owners': 0.05,
  'no owner': 0.01,
} as const

/** Faults without a rate: they belong to the input of a step. */
type OtherFault = 'worker killed by its input' | 'step hung' | 'step failed' | ModelFault

/** Faults of owners. */
export const ownerFaults = ['owner changed', 'two owners', 'no owner'] as const

/** Faults of a model. */
export const modelFaults = [
  'model late',
  'model busy',
  'model answered nonsense',
  'model repeated its nonsense',
  'model answered twice',
  'model silent',
] as const
type ModelFault = (typeof modelFaults)[number]

export type Fault = keyof typeof usualRates | OtherFault

/** Faults that cost much time. Mild runs leave them out, and show that nothing is late. */
const heavy: readonly Fault[] = [
  'crash before a call',
  'crash after a call',
  'append late',
  'feed delayed',
  'process paused',
  'process stopped',
  'process cut off',
]

export type Latency = { there: number; back: number }

/** The faults of one run. The seed determines which kinds it has, and how often they occur. */
export class Faults {
  on = true
  readonly counts = new Map<Fault, number>()
  readonly #rates: Map<Fault, number>

  constructor(random: Random, mild: boolean) {
    const share = random.pick([0, 0.3, 0.6, 0.6, 1])
    const rates = Object.entries(usualRates).map(([kind, rate]) => {
      const strength = random.pick([0.3, 1, 1, 3])
      return [kind as Fault, random.chance(share) ? rate * strength : 0] as const
    })
    this.#rates = new Map(rates.filter(([kind]) => !mild || !heavy.includes(kind)))
  }

  /** Draws whether this fault happens here and now. If so, counts it. */
  strikes(kind: Fault, random: Random, times = 1): boolean {
    if (!this.on || !random.chance((this.#rates.get(kind) ?? 0) * times)) return false
    this.count(kind)
    return true
  }

  count(kind: Fault): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }
}

/** How long a call of a port takes without a fault, milliseconds each way. */
export const usualLatency = (random: Random): Latency => {
  const draw = random.next()
  if (draw < 0.5) return { there: 0, back: 1 }
  return { there: Math.floor(draw * 4), back: Math.floor(random.next() * 6) }
}
