import { closeSync, lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { at, openPlace, self } from './at.ts'
import { deleteTree } from './delete-tree.ts'
import { isStale } from './sweep.ts'

const BLOCK = 512
const YIELD_EVERY = 500
const MAX_DEPTH = 500

/**
 * Bytes that the tree below `dirFd` takes on disk: allocated blocks, so a sparse
 * file counts what it holds, and a file with several names once. Links are not
 * followed; what cannot be entered counts as nothing. Work of ours that was broken off
 * long ago is nobody's, and is removed where it is met.
 */
export const diskUsage = async (dirFd: number): Promise<number> => {
  const counted = new Set<string>()
  let bytes = 0
  let seen = 0
  const walk = async (fd: number, depth: number): Promise<void> => {
    for (const name of readdirSync(self(fd), { encoding: 'buffer' })) {
      seen += 1
      if (seen % YIELD_EVERY === 0) await setImmediate()
      try {
        const stat = lstatSync(at(fd, name))
        if (isStale(name.toString('latin1'), stat)) {
          await deleteTree(fd, name)
          continue
        }
        if (stat.nlink > 1 && !stat.isDirectory()) {
          const id = `${stat.dev}:${stat.ino}`
          if (counted.has(id)) continue
          counted.add(id)
        }
        bytes += stat.blocks * BLOCK
        if (!stat.isDirectory() || depth >= MAX_DEPTH) continue
        const child = openPlace(at(fd, name))
        try {
          await walk(child, depth + 1)
        } finally {
          closeSync(child)
        }
      } catch {
        // removed meanwhile, or closed to its owner
      }
    }
  }
  await walk(dirFd, 0)
  return bytes
}
