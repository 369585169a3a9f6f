/** Password hashing (argon2id on Node, PBKDF2 where only WebCrypto is there). */
export interface Passwords {
  /** Text that names algorithm, cost and salt itself. Costly by design: not to be asked in a loop. */
  hash(password: string): Promise<string>
  /** False for a wrong password and for an unreadable hash; takes similar time in both cases. */
  verify(hash: string, password: string): Promise<boolean>
  /** bcrypt, which the web server checks for paths of sites that ask for a password; 72 bytes count. */
  siteHash(password: string): Promise<string>
}
