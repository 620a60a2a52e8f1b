import type { OrgPageContext, Redirect, Route } from './route.ts'

type Form = (context: OrgPageContext) => Redirect | Promise<Redirect>

/** Routes that only take forms, by what follows the path. */
export const formRoutes = (path: string, access: 'member' | 'owner', forms: Readonly<Record<string, Form>>): Route[] =>
  Object.entries(forms).map(([act, post]) => ({ path: `${path}/${act}`, access, post }))
