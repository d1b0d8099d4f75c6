/** What the reader is ready to hold. Each is checked before memory is taken; over it a log is "too large". */

/** One decoded line. Below the longest string that V8 can hold. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** The header line; a listing reads nothing else of a log, so it is kept small. */
export const MAX_HEADER_BYTES = 16 * 1024 * 1024;
/** All decoded bytes of one log: what stops a decompression bomb. */
export const MAX_LOG_BYTES = 8 * 1024 * 1024 * 1024;
/** A frame that may decode to more than this is decoded piece by piece, in flat memory. */
export const MAX_WHOLE_FRAME_BYTES = 4 * 1024 * 1024;
/** How far back a frame that is decoded piece by piece may refer: what such a decoder has to keep in memory. */
export const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
