import { describeIds } from '#packages/ports/ids.contract.ts'
import { systemIds } from './ids.ts'

describeIds('the system', systemIds)
