import { errorOfFlash } from '../http/flashed-error.ts'
import { errorPage } from '../look/error-page.tsx'
import type { PageOptions } from '../options.ts'
import { type Route, redirect } from '../route.ts'

/** `/problem`: what went wrong with a form, where its own page cannot say it. */
export const problemRoutes = ({ root }: PageOptions): Route[] => [
  {
    path: '/problem',
    access: 'anyone',
    get: ({ flash: { error } }) =>
      error === undefined ? redirect('/') : errorPage(errorOfFlash(error), { root, requestId: error.requestId }),
  },
]
