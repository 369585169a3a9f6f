/** What is said of something that is to be destroyed, by its name. */
export interface DestroyWords {
  title: (name: string) => string
  lead: string
  /** Asks for the name to be typed. */
  confirm: (name: string) => string
  submit: string
  done: (name: string) => string
}
