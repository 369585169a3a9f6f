import { hash } from 'bcryptjs'

/** Some 60 ms of one core, in pieces between which others have their turn. */
const COST = 10

/** bcrypt, by the library that the web server checks it with. */
export const siteHash = (password: string): Promise<string> => hash(password, COST)
