import { en } from './en'

/** Every text of the UI; another language is another object of the same shape. */
export type Texts = typeof en

export const texts: Texts = en
