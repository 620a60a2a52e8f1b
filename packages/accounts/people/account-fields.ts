import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

const MAX_EMAIL = 254
const MAX_NAME = 100

/** Control characters, and those that turn the direction of text around them. Names are shown to other people. */
const unseen = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/**
 * Checks only the form of an address. The address is known to exist once its owner opens the link that is sent to it.
 */
const form = /^[^\s\p{C}@<>(),;:"\\]+@[^\s\p{C}@<>(),;:"\\]+\.[^\s\p{C}@<>(),;:"\\.]+$/u

/** An e-mail address without spaces around it. @throws ServiceError invalid_request naming `email` */
export function emailOf(text: string): string {
  const email = text.normalize('NFC').trim()
  if (email.length > MAX_EMAIL || !form.test(email) || unseen.test(email))
    throw invalidRequest({ path: 'email', message: 'must be an e-mail address, such as me@example.com' })
  return email
}

/**
 * Whether two addresses are certainly the same: ASCII, and equal except for case. Characters that look or fold alike,
 * as the Kelvin sign and `k` do, may be mailboxes of two people.
 */
export const isSameInAscii = (one: string, other: string): boolean =>
  ascii.test(one) && ascii.test(other) && one.toLowerCase() === other.toLowerCase()

const ascii = /^[\x21-\x7e]+$/

/** An organization's name without spaces around it. @throws ServiceError invalid_request naming `organization` */
export function organizationNameOf(text: string): string {
  const name = text.toWellFormed().trim()
  if (name.length < 1 || name.length > MAX_NAME)
    throw invalidRequest({ path: 'organization', message: `must have 1 to ${MAX_NAME} characters` })
  if (unseen.test(name)) throw invalidRequest({ path: 'organization', message: 'must be one line of text' })
  return name
}
