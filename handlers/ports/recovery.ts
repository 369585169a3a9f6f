/** What is known of bringing this panel back, should its machine be lost; no secret. */
export interface RecoveryFacts {
  /** Whether this machine was brought back, and nobody has said yet that it is the live one. */
  held: boolean
  /** UTC; null: no recovery kit was made. */
  kitMadeAt: string | null
  /** UTC; null: nobody has proved that the kit in force is kept. */
  kitVerifiedAt: string | null
}
