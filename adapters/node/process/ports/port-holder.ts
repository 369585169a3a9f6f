import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { listeningInodes } from './listening-inodes.ts'

const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|php[\d.]*|java)$/

/** An option that a program's text, or a module, follows. */
const CODE = /^(-[a-z]*[cepr]|--(eval|print|require|import))$/

/**
 * A program by its command line, e.g. `nginx: master process nginx` or
 * `node server.js`; without options and values, which may hold secrets. The
 * kernel's `comm` is the name of a thread, such as `MainThread`.
 */
const programOf = (pid: string): string => {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const [command = '', ...args] = read('cmdline').split('\0')
  // A program that renames itself writes one text with blanks.
  const name = command.includes(' ') ? command : basename(command)
  const at = INTERPRETER.test(name)
    ? args.findIndex((arg) => arg !== '' && (!arg.startsWith('-') || CODE.test(arg)))
    : -1
  // What follows such an option is a program's text, not its name.
  const script = CODE.test(args[at] ?? '') ? '' : args[at]
  const text = name === '' ? read('comm') : [name, script].filter(Boolean).join(' ')
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 120)
}

/** Who listens on a port. */
export interface PortHolder {
  /** Null: a process of another user, which this one may not look at. */
  pid: number | null
  /** E.g. `nginx (process 812)`. */
  text: string
}

/** Whether anybody listens on a port. */
export const isPortHeld = (port: number): boolean => listeningInodes(port).size > 0

/** The process that listens on a port; null when nobody does. */
export const findPortHolder = (port: number): PortHolder | null => {
  const inodes = listeningInodes(port)
  if (inodes.size === 0) return null
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        const target = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))
        if (target?.[1] !== undefined && inodes.has(target[1]))
          return { pid: Number(pid), text: `${programOf(pid)} (process ${pid})` }
      }
    } catch {
      // Ended meanwhile, or another user's.
    }
  }
  return { pid: null, text: "another user's program" }
}

/**
 * Names the process that listens on a port, e.g. `nginx (process 812)`; null
 * when it cannot be told, because it is nobody's or another user's.
 */
export const describePortHolder = (port: number): string | null => {
  const holder = findPortHolder(port)
  return holder?.pid === null ? null : (holder?.text ?? null)
}
