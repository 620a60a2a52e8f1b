import { expect } from 'chai'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { JobEvent } from './events.ts'
import { job } from './job.ts'
