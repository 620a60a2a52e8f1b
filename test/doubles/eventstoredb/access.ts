import type { Metadata } from '@grpc/grpc-js'
import type { EventLog } from './event-log.ts'
import { accessDenied, unauthenticated } from './failures.ts'

/** Who may connect, by name. Members of the group `$admins` may do everything. */
export type Users = Readonly<Record<string, { password: string; groups?: readonly string[] }>>

const adminsOnly = ['$admins']

/**
 * Decides who may do what, as the real server does with its default settings. Without users everybody may do
 * everything.
 */
export class Access {
  readonly #log: EventLog
  readonly #users: Users | undefined

  constructor(log: EventLog, users: Users | undefined) {
    this.#log = log
    this.#users = users
  }

  /** @throws Refusal if the user is unknown, or the password wrong */
  assertKnown(metadata: Metadata): void {
    this.#rolesOf(metadata)
  }

  /** @throws Refusal if the account may not read all streams; the metadata of `$all` lists the roles that may */
  assertMayReadAll(metadata: Metadata): void {
    const roles = this.#rolesOf(metadata)
    if (roles === undefined) return
    const allowed = this.#readersOfAll()
    if (!roles.some((role) => allowed.includes(role) || role === '$admins')) throw accessDenied()
  }

  /** @throws Refusal if the account is not an administrator */
  assertMayOperate(metadata: Metadata): void {
    if (this.#rolesOf(metadata)?.includes('$admins') === false) throw accessDenied()
  }

  /** The account's name and groups. Undefined if everybody may do everything. */
  #rolesOf(metadata: Metadata): string[] | undefined {
    if (this.#users === undefined) return undefined
    const [, encoded = ''] = /^Basic (.*)$/.exec(String(metadata.get('authorization')[0])) ?? []
    const [, name = '', password = ''] = /^([^:]*):(.*)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []
    const user = Object.hasOwn(this.#users, name) ? this.#users[name] : undefined
    if (user === undefined || user.password !== password) throw unauthenticated()
    return [name, ...(user.groups ?? [])]
  }

  #readersOfAll(): readonly string[] {
    const [newest] = this.#log.ofStream('$$$all', 0, Number.MAX_SAFE_INTEGER, 'DESC', 1)
    if (newest === undefined) return adminsOnly
    const { $acl } = JSON.parse(Buffer.from(newest.data).toString()) as { $acl?: { $r?: string | string[] } }
    return $acl?.$r === undefined ? adminsOnly : [$acl.$r].flat()
  }
}
