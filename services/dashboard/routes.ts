import type { PageOptions } from './options.ts'
import { accountRoutes } from './pages/account/account.tsx'
import { changeEmailRoutes } from './pages/account/change-email.tsx'
import { deleteAccountRoutes } from './pages/account/delete-account.tsx'
import { organizationsRoutes } from './pages/account/organizations.tsx'
import { twoFactorRoutes } from './pages/account/two-factor.tsx'
import { batchFileRoutes } from './pages/batches/batch-files.ts'
import { batchRoutes } from './pages/batches/batch-routes.tsx'
import { batchesRoutes } from './pages/batches/batches.tsx'
import { newBatchRoutes } from './pages/batches/new-batch.tsx'
import { frontRoutes } from './pages/front.tsx'
import { homeRoutes } from './pages/home.ts'
import { jobEventRoutes } from './pages/jobs/job-events.ts'
import { jobFileRoutes } from './pages/jobs/job-files.ts'
import { jobRoutes } from './pages/jobs/job-routes.tsx'
import { jobListRoutes } from './pages/jobs/list.tsx'
import { thumbnailRoutes } from './pages/jobs/thumbnails.tsx'
import { editKeyRoutes } from './pages/keys/edit-key.tsx'
import { keysRoutes } from './pages/keys/keys.tsx'
import { revokeKeyRoutes } from './pages/keys/revoke-key.tsx'
import { membersRoutes } from './pages/members.tsx'
import { operatorRoutes } from './pages/operator/operator-routes.tsx'
import { overviewRoutes } from './pages/overview/overview.tsx'
import { plansRoutes } from './pages/plans/plans.tsx'
import { problemRoutes } from './pages/problem.ts'
import { settingsRoutes } from './pages/settings.tsx'
import { signInCodeRoutes } from './pages/sign-in/code.tsx'
import { firstKeyRoutes } from './pages/sign-in/first-key.tsx'
import { forgotRoutes } from './pages/sign-in/forgot.tsx'
import { invitationRoutes } from './pages/sign-in/invitation.tsx'
import { providerRoutes } from './pages/sign-in/provider.tsx'
import { signInRoutes } from './pages/sign-in/sign-in.tsx'
import { signUpRoutes } from './pages/sign-in/sign-up.tsx'
import { verifyRoutes } from './pages/sign-in/verify.tsx'
import { tryRoutes } from './pages/try/try-routes.tsx'
import { usageRoutes } from './pages/usage/usage.tsx'
import { watchRoutes } from './pages/watches/watch-routes.tsx'
import { watchesRoutes } from './pages/watches/watches.tsx'
import { webhookRoutes } from './pages/webhooks/webhook-routes.tsx'
import { webhooksRoutes } from './pages/webhooks/webhooks.tsx'
import type { DashboardResources } from './parts.ts'
import type { Route } from './route.ts'

/** Every page, and who may use it. */
export const routesOf = (
  { ports, people, customers, jobs, readers, limits, health }: DashboardResources,
  options: PageOptions,
): readonly Route[] => [
  ...homeRoutes(),
  ...frontRoutes(options),
  ...plansRoutes({ ...people, ...customers }, options),
  ...problemRoutes(options),
  ...firstKeyRoutes(options),
  ...overviewRoutes({ ...ports, ...customers }, options),
  ...keysRoutes({ ...ports, ...customers }, options),
  ...editKeyRoutes({ ...ports, ...customers }, options),
  ...revokeKeyRoutes(customers, options),
  ...batchesRoutes(jobs, options),
  ...newBatchRoutes({ ...ports, ...customers, ...jobs, ...readers, ...limits }, options),
  ...batchRoutes(jobs, options),
  ...batchFileRoutes({ ...ports, ...jobs, ...readers, ...limits }),
  ...watchesRoutes({ ...customers, ...jobs, ...readers }, options),
  ...watchRoutes({ ...customers, ...jobs }, options),
  ...webhooksRoutes({ ...customers, ...jobs }, options),
  ...webhookRoutes({ ...ports, ...jobs, ...limits }, options),
  ...usageRoutes({ ...ports, ...customers }, options),
  ...tryRoutes({ ...ports, ...customers, ...jobs, ...readers, ...limits }, options),
  ...operatorRoutes({ ...ports, ...people, ...customers, ...health }, options),
  ...jobListRoutes({ ...ports, ...customers }, options),
  ...jobRoutes({ ...ports, ...jobs, ...readers, ...limits }, options),
  ...jobEventRoutes({ ...ports, ...people, ...jobs, ...limits }),
  ...jobFileRoutes({ ...jobs, ...readers }),
  ...thumbnailRoutes({ ...ports, ...readers, ...limits }),
  ...signInRoutes(people, options),
  ...signInCodeRoutes(people, options),
  ...signUpRoutes(people, options),
  ...verifyRoutes(people, options),
  ...forgotRoutes(people, options),
  ...invitationRoutes({ ...people, ...customers }, options),
  ...providerRoutes(people, options),
  ...accountRoutes({ ...people, ...customers }, options),
  ...changeEmailRoutes(people, options),
  ...twoFactorRoutes(people, options),
  ...deleteAccountRoutes({ ...people, ...customers }, options),
  ...organizationsRoutes(customers, options),
  ...membersRoutes(people, options),
  ...settingsRoutes({ ...people, ...customers }, options),
]
