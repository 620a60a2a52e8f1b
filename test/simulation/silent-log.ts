import type { Logger } from '#packages/telemetry/log.ts'
import type { Life } from './time/life.ts'
import type { World } from './world.ts'

type Fields = { err?: unknown; alarm?: string }

/** A log that prints nothing: warnings and errors go into the trace. */
export function silentLog(world: World, life: Life): Logger {
  const say =
    (level: string) =>
    (fields: Fields, message = ''): void => {
      if (!life.alive) return
      const reason = fields.err instanceof Error ? fields.err.message : (fields.alarm ?? '')
      world.trace.add(life.name, `${level}: ${message} ${reason}`)
    }
  const nothing = (): void => {}
  const log = { info: nothing, debug: nothing, warn: say('warns'), error: say('reports'), child: () => log }
  return log as unknown as Logger
}
