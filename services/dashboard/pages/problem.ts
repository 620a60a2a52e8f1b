import { errorOfFlash } from '../http/flashed-error.ts'
import { errorPage } from '../look/error-page.tsx'
import type { PageOptions } from '../options.ts'
import { type Route, redirect } from '../route.ts'

/** `/problem`: explains what went wrong with a form if its own page cannot. */
export const problemRoutes = ({ root }: PageOptions): Route[] => [
  {
    path: '/problem',
    access: 'anyone',
    get: ({ flash: { error } }) =>
      error === undefined ? redirect('/') : errorPage(errorOfFlash(error), { root, requestId: error.requestId }),
  },
]
