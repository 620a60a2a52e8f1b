import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

/** The plan that a form names. @throws ServiceError invalid_request */
export function planIn(form: URLSearchParams): Plan {
  const plan = form.get('plan') ?? ''
  if (Object.hasOwn(plans, plan)) return plan as Plan
  throw invalidRequest({ path: 'plan', message: `must be one of ${Object.keys(plans).join(', ')}` })
}
