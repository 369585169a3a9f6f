import { createHash, timingSafeEqual } from 'node:crypto'
import { compareSync, getRounds } from 'bcryptjs'
import { md5Crypt } from './apr1.ts'
import { shaCrypt } from './sha-crypt.ts'

/** A password file may ask for no more work than this (bcrypt's exponent; a second or less). */
const MAX_BCRYPT_COST = 12

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Whether a password is the one of a line of htpasswd: bcrypt, `$apr1$`, `$1$`, `$5$`, `$6$`, `{SHA}`. Other forms, plain text among them, match nothing. */
export const checkHash = (password: string, hash: string): boolean => {
  if (/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash)) {
    return getRounds(hash) <= MAX_BCRYPT_COST && compareSync(password, hash)
  }
  const md5 = /^(\$apr1\$|\$1\$)([^$]{0,8})\$/.exec(hash)
  if (md5) return isEqual(md5Crypt(password, md5[1] ?? '', md5[2] ?? ''), hash)
  if (/^\$[56]\$/.test(hash)) return isEqual(shaCrypt(password, hash) ?? '', hash)
  if (!hash.startsWith('{SHA}')) return false
  const digest = createHash('sha1').update(password, 'utf8').digest('base64')
  return isEqual(`{SHA}${digest}`, hash)
}
