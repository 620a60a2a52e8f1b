import { describeClock } from '#packages/ports/clock.contract.ts'
import { systemClock } from './clock.ts'

describeClock('systemClock', systemClock)
