import type { StepResult } from '#packages/domain/job/events.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import type { StepContext, StepWork } from './step.ts'

/** A step whose end the test decides. */
export class Work {
  readonly begun: StepContext[] = []
  readonly #ends: ((result: StepResult | Error) => void)[] = []

  readonly step: StepWork = (context) => {
    this.begun.push(context)
    return new Promise((resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true })
      this.#ends.push((result) => (result instanceof Error ? reject(result) : resolve(result)))
    })
  }

  async end(result: StepResult | Error): Promise<void> {
    this.#ends.shift()?.(result)
    await settle()
  }
}
