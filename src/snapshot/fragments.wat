;; The fragments of a transcript, spelled from UTF-8 to UTF-8: what `fragment-writer.ts` does byte by byte, 16 bytes a
;; step. `npm run wasm` assembles this file into `fragments-wasm.ts`.
;;
;; Positions are addresses of the writer's memory. Reads and writes may go up to 16 bytes behind what is due; the memory
;; must not end before.
(module
  (import "writer" "memory" (memory 1))
  ;; How many UTF-16 units of the text the last call has spelled.
  (global $units (mut i32) (i32.const 0))

  (func $unitsOf (export "units") (result i32) (global.get $units))

  ;; Spells the valid UTF-8 from $at to $end at $to, in whole fragments of 64 code points, until $limit is reached. The
  ;; last one may be shorter where the text $isLast; else none is begun that could be cut by $end. Gives the place behind
  ;; what has been written.
  (func $fragments (export "fragments")
    (param $at i32) (param $end i32) (param $isLast i32) (param $to i32) (param $limit i32) (result i32)
    (local $left i32) (local $units i32) (local $bytes v128) (local $run i32) (local $byte i32)
    (block $done
      (loop $fragment
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.ge_u (local.get $to) (local.get $limit)))
        (br_if $done
          (i32.and
            (i32.eqz (local.get $isLast))
            (i32.le_u (i32.sub (local.get $end) (local.get $at)) (i32.const 256))))
        (i32.store8 (local.get $to) (i32.const 0x22))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (local.set $left (i32.const 64))
        (block $closed
          (loop $next
            (br_if $closed (i32.eqz (local.get $left)))
            (br_if $closed (i32.ge_u (local.get $at) (local.get $end)))
            (if
              (i32.and
                (i32.ge_u (local.get $left) (i32.const 16))
                (i32.ge_u (i32.sub (local.get $end) (local.get $at)) (i32.const 16)))
              (then
                (local.set $bytes (v128.load (local.get $at)))
                (v128.store (local.get $to) (local.get $bytes))
                ;; How many of them stand for themselves: no quote, backslash or control, and ASCII.
                (local.set $run
                  (i32.ctz
                    (i32.or
                      (i32.const 0x10000)
                      (i8x16.bitmask
                        (v128.or
                          (local.get $bytes)
                          (v128.or
                            (v128.or
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))))))))
                (local.set $at (i32.add (local.get $at) (local.get $run)))
                (local.set $to (i32.add (local.get $to) (local.get $run)))
                (local.set $left (i32.sub (local.get $left) (local.get $run)))
                (local.set $units (i32.add (local.get $units) (local.get $run)))
                (br_if $next (i32.eq (local.get $run) (i32.const 16)))))
            ;; One code point.
            (local.set $byte (i32.load8_u (local.get $at)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            ;; Four bytes are two units.
            (local.set $units
              (i32.add
                (i32.add (local.get $units) (i32.const 1))
                (i32.ge_u (local.get $byte) (i32.const 0xf0))))
            (if
              (i32.or
                (i32.lt_u (local.get $byte) (i32.const 0x20))
                (i32.or
                  (i32.eq (local.get $byte) (i32.const 0x22))
                  (i32.eq (local.get $byte) (i32.const 0x5c))))
              (then
                (local.set $to (call $escape (local.get $byte) (local.get $to)))
                (br $next)))
            (i32.store8 (local.get $to) (local.get $byte))
            (local.set $to (i32.add (local.get $to) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $byte) (i32.const 0x80)))
            ;; The bytes that go on with it.
            (loop $more
              (local.set $byte (i32.load8_u (local.get $at)))
              (if
                (i32.and
                  (i32.lt_u (local.get $at) (local.get $end))
                  (i32.eq (i32.and (local.get $byte) (i32.const 0xc0)) (i32.const 0x80)))
                (then
                  (i32.store8 (local.get $to) (local.get $byte))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (local.set $to (i32.add (local.get $to) (i32.const 1)))
                  (br $more))))
            (br $next)))
        ;; The quote, and a line feed.
        (i32.store16 (local.get $to) (i32.const 0x0a22))
        (local.set $to (i32.add (local.get $to) (i32.const 2)))
        (br $fragment)))
    (global.set $units (local.get $units))
    (local.get $to))

  ;; Writes how JSON spells a quote, a backslash or a control; gives the place behind it.
  (func $escape (param $byte i32) (param $to i32) (result i32)
    (local $letter i32)
    (i32.store8 (local.get $to) (i32.const 0x5c))
    (local.set $letter (call $letterOf (local.get $byte)))
    (if (local.get $letter)
      (then
        (i32.store8 (i32.add (local.get $to) (i32.const 1)) (local.get $letter))
        (return (i32.add (local.get $to) (i32.const 2)))))
    ;; u00, then 0 or 1, and the last digit.
    (i32.store8 (i32.add (local.get $to) (i32.const 1)) (i32.const 0x75))
    (i32.store16 (i32.add (local.get $to) (i32.const 2)) (i32.const 0x3030))
    (i32.store8
      (i32.add (local.get $to) (i32.const 4))
      (i32.add (i32.const 0x30) (i32.shr_u (local.get $byte) (i32.const 4))))
    (local.set $byte (i32.and (local.get $byte) (i32.const 15)))
    (i32.store8
      (i32.add (local.get $to) (i32.const 5))
      (i32.add
        (i32.add (i32.const 0x30) (local.get $byte))
        ;; Letters begin 39 above the digits.
        (i32.mul (i32.const 39) (i32.gt_u (local.get $byte) (i32.const 9)))))
    (i32.add (local.get $to) (i32.const 6)))

  ;; The letter behind the backslash, or 0 where there is none.
  (func $letterOf (param $byte i32) (result i32)
    (if (i32.ge_u (local.get $byte) (i32.const 0x20)) (then (return (local.get $byte))))
    (if (i32.eq (local.get $byte) (i32.const 0x0a)) (then (return (i32.const 0x6e))))
    (if (i32.eq (local.get $byte) (i32.const 0x09)) (then (return (i32.const 0x74))))
    (if (i32.eq (local.get $byte) (i32.const 0x0d)) (then (return (i32.const 0x72))))
    (if (i32.eq (local.get $byte) (i32.const 0x08)) (then (return (i32.const 0x62))))
    (if (i32.eq (local.get $byte) (i32.const 0x0c)) (then (return (i32.const 0x66))))
    (i32.const 0))
)
