import { matches } from './patterns.ts'
import type { Profile } from './profile.ts'

/** What profiles write for a name, or part of one, that is 32 hexadecimal digits. */
const ANY_HASH = '0123456789abcdef0123456789abcdef'

/** Whether the application knows its visitors by this cookie. Case does not matter. */
export const isSessionCookie = ({ sessionCookies }: Profile, name: string): boolean =>
  matches(sessionCookies.map((pattern) => pattern.toLowerCase()))(
    name.toLowerCase().replace(/[0-9a-f]{32}/, ANY_HASH),
  )
