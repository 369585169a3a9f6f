export declare const roomsOf: (root: string, hall: string) => Map<string, Set<string>>
export declare const floorsOf: (rooms: Map<string, Set<string>>) => {
  floors: Map<string, number>
  circle: string[] | null
}
export declare const checkRooms: (root: string) => string[]
