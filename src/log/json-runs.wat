;; The runs of bytes that make up most of a log, proven where the decoder leaves them, 16 bytes or 8 digits a step.
;; `json-runs.ts` says what each function promises; `npm run wasm` assembles this file into `json-runs-wasm.ts`.
;;
;; Positions are addresses of the decoder's memory. Reads may go up to 16 bytes behind $end; what stands there
;; decides nothing, but the memory must not end before.
(module
  (import "decoder" "memory" (memory 1))
  ;; How many strings or numbers the last call has passed, and the last number of them.
  (global $count (mut i32) (i32.const 0))
  (global $last (mut i64) (i64.const -1))
  ;; Set by the last call of $strings that has passed an escape.
  (global $hasEscape (mut i32) (i32.const 0))
  ;; The tape: where it begins, how many entries it has, and how many it can have.
  (global $tapeAt (mut i32) (i32.const 0))
  (global $entries (mut i32) (i32.const 0))
  (global $room (mut i32) (i32.const 0))

  (func $countOf (export "count") (result i32) (global.get $count))
  (func $lastOf (export "last") (result f64) (f64.convert_i64_s (global.get $last)))

  ;; $at is an opening quote. Gives the place behind the string; with $isList behind the last of the strings that
  ;; follow one another with a comma and nothing else between them. -1 where one is not valid or not at its end yet.
  (func $strings (export "strings") (param $at i32) (param $end i32) (param $isList i32) (result i32)
    (local $bytes v128) (local $ends i32) (local $byte i32) (local $passed i32)
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22)) (then (return (i32.const -1))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (loop $run
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $bytes (v128.load (local.get $at)))
      ;; A bit for each byte that ends a run: quotes, backslashes, and controls, which are not allowed.
      (local.set $ends
        (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
      (if (i32.eqz (local.get $ends))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $run)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $ends))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x5c))
        (then
          (global.set $hasEscape (i32.const 1))
          (local.set $at (call $escape (local.get $at)))
          (br_if $run (i32.ne (local.get $at) (i32.const -1)))
          (return (i32.const -1))))
      (if (i32.ne (local.get $byte) (i32.const 0x22)) (then (return (i32.const -1))))
      (local.set $passed (i32.add (local.get $passed) (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      ;; A comma and a quote: the list goes on.
      (if (i32.and (local.get $isList) (i32.eq (i32.load16_u (local.get $at)) (i32.const 0x222c)))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (br $run)))
      (global.set $count (local.get $passed))
      (return (local.get $at)))
    (i32.const -1))

  ;; $at is a backslash. Gives the place behind the escape, or -1.
  (func $escape (param $at i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (i32.add (local.get $at) (i32.const 1))))
    ;; b, f, n, r and t as bits of the last five bits of the letter; then the quote, the slash, the backslash.
    (if
      (i32.or
        (i32.and
          (i32.eq (i32.shr_u (local.get $byte) (i32.const 5)) (i32.const 3))
          (i32.and
            (i32.shr_u (i32.const 0x00144044) (i32.and (local.get $byte) (i32.const 31)))
            (i32.const 1)))
        (i32.or
          (i32.eq (local.get $byte) (i32.const 0x22))
          (i32.or
            (i32.eq (local.get $byte) (i32.const 0x2f))
            (i32.eq (local.get $byte) (i32.const 0x5c)))))
      (then (return (i32.add (local.get $at) (i32.const 2)))))
    (if (i32.ne (local.get $byte) (i32.const 0x75)) (then (return (i32.const -1))))
    (if
      (i32.and
        (i32.and
          (call $isHex (i32.load8_u (i32.add (local.get $at) (i32.const 2))))
          (call $isHex (i32.load8_u (i32.add (local.get $at) (i32.const 3)))))
        (i32.and
          (call $isHex (i32.load8_u (i32.add (local.get $at) (i32.const 4))))
          (call $isHex (i32.load8_u (i32.add (local.get $at) (i32.const 5))))))
      (then (return (i32.add (local.get $at) (i32.const 6)))))
    (i32.const -1))

  (func $isHex (param $byte i32) (result i32)
    (i32.or
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      ;; Capitals made small.
      (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; $at is behind the opening bracket of a list of whole numbers without spaces. Gives the place behind its closing
  ;; bracket, or -1 for anything else: also for a number of more than eight digits, and, with $isIncreasing, for one
  ;; that is not larger than the number before it.
  (func $numbers (export "numbers") (param $at i32) (param $end i32) (param $isIncreasing i32) (result i32)
    (local $digits i64) (local $length i32) (local $isNegative i32) (local $byte i32)
    (local $passed i32) (local $number i64) (local $before i64)
    ;; Seqs mostly go up by one: how the next one then reads with its comma, the bytes that take part in that, what
    ;; one more adds to them, and how often it can be added before the last digit is 9.
    (local $expected i64) (local $mask i64) (local $one i64) (local $left i32)
    (local.set $before (i64.const -1))
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (if
        (i32.and
          (i32.ne (local.get $left) (i32.const 0))
          (i64.eqz
            (i64.and (i64.xor (i64.load (local.get $at)) (local.get $expected)) (local.get $mask))))
        (then
          (local.set $at (i32.add (local.get $at) (local.get $length)))
          (local.set $before (i64.add (local.get $before) (i64.const 1)))
          (local.set $expected (i64.add (local.get $expected) (local.get $one)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (local.set $passed (i32.add (local.get $passed) (i32.const 1)))
          (br $next)))
      (if (i32.eqz (local.get $isIncreasing))
        (then
          ;; Gaps mostly have two digits: those and a comma, each byte as what it is above '0', '0' and ','.
          (local.set $byte (i32.xor (i32.load (local.get $at)) (i32.const 0x002c3030)))
          (if
            (i32.and
              (i32.eqz
                (i32.and
                  (i32.or (local.get $byte) (i32.add (local.get $byte) (i32.const 0x0606)))
                  (i32.const 0x00fff0f0)))
              (i32.ne (i32.and (local.get $byte) (i32.const 0x0f)) (i32.const 0)))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 3)))
              (local.set $passed (i32.add (local.get $passed) (i32.const 1)))
              (br $next)))))
      (local.set $isNegative (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d)))
      (local.set $at (i32.add (local.get $at) (local.get $isNegative)))
      ;; Each digit as its value; in any other byte something above 9.
      (local.set $digits (i64.xor (i64.load (local.get $at)) (i64.const 0x3030303030303030)))
      ;; The highest bit of each byte that is no digit; the first of them ends the number.
      (local.set $length
        (i32.wrap_i64
          (i64.shr_u
            (i64.ctz
              (i64.and
                (i64.or
                  (i64.add
                    (i64.and (local.get $digits) (i64.const 0x7f7f7f7f7f7f7f7f))
                    (i64.const 0x7676767676767676))
                  (local.get $digits))
                (i64.const 0x8080808080808080)))
            (i64.const 3))))
      (if (i32.eqz (local.get $length)) (then (return (i32.const -1))))
      ;; No zero before other digits, and no minus before a zero.
      (if
        (i32.and
          (i64.eqz (i64.and (local.get $digits) (i64.const 0xff)))
          (i32.or (local.get $isNegative) (i32.gt_u (local.get $length) (i32.const 1))))
        (then (return (i32.const -1))))
      (if (local.get $isIncreasing)
        (then
          (if (local.get $isNegative) (then (return (i32.const -1))))
          ;; The digits moved up, zeros before them, and joined: to pairs, to fours, to one number.
          (local.set $digits
            (i64.shl
              (local.get $digits)
              (i64.extend_i32_u (i32.sub (i32.const 64) (i32.shl (local.get $length) (i32.const 3))))))
          (local.set $digits
            (i64.and
              (i64.add
                (i64.mul (local.get $digits) (i64.const 10))
                (i64.shr_u (local.get $digits) (i64.const 8)))
              (i64.const 0x00ff00ff00ff00ff)))
          (local.set $digits
            (i64.and
              (i64.add
                (i64.mul (local.get $digits) (i64.const 100))
                (i64.shr_u (local.get $digits) (i64.const 16)))
              (i64.const 0x0000ffff0000ffff)))
          (local.set $number
            (i64.and
              (i64.add
                (i64.mul (local.get $digits) (i64.const 10000))
                (i64.shr_u (local.get $digits) (i64.const 32)))
              (i64.const 0xffffffff)))
          (if (i64.le_s (local.get $number) (local.get $before)) (then (return (i32.const -1))))
          (local.set $before (local.get $number))
          (local.set $left (i32.const 0))
          (if (i32.le_u (local.get $length) (i32.const 7))
            (then
              (local.set $left
                (i32.sub
                  (i32.const 0x39)
                  (i32.load8_u (i32.sub (i32.add (local.get $at) (local.get $length)) (i32.const 1)))))
              (local.set $one
                (i64.shl
                  (i64.const 1)
                  (i64.extend_i32_u (i32.shl (i32.sub (local.get $length) (i32.const 1)) (i32.const 3)))))
              (local.set $mask
                (i64.shr_u
                  (i64.const -1)
                  (i64.extend_i32_u (i32.sub (i32.const 56) (i32.shl (local.get $length) (i32.const 3))))))
              (local.set $expected (i64.add (i64.load (local.get $at)) (local.get $one)))))))
      (local.set $passed (i32.add (local.get $passed) (i32.const 1)))
      (local.set $byte (i32.load8_u (i32.add (local.get $at) (local.get $length))))
      (local.set $length (i32.add (local.get $length) (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (local.get $length)))
      ;; A comma, or the closing bracket; also what tells a ninth digit.
      (br_if $next (i32.eq (local.get $byte) (i32.const 0x2c)))
      (if (i32.ne (local.get $byte) (i32.const 0x5d)) (then (return (i32.const -1))))
      (if (i32.gt_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (global.set $count (local.get $passed))
      (global.set $last (local.get $before))
      (return (local.get $at)))
    (i32.const -1))

  ;; $at is the first byte of any value. Gives the place behind it, or -1 where it is not valid, not at its end yet, or
  ;; deeper than 64 levels.
  (func $value (export "value") (param $at i32) (param $end i32) (result i32)
    ;; Which of the open values are objects, a bit for each, the innermost in the last one.
    (local $objects i64) (local $depth i32) (local $byte i32) (local $next i32)
    (loop $begin
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u (local.get $at)))
      ;; An opening brace or bracket.
      (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7b))
        (then
          (if (i32.eq (local.get $depth) (i32.const 64)) (then (return (i32.const -1))))
          (local.set $objects
            (i64.or
              (i64.shl (local.get $objects) (i64.const 1))
              (i64.extend_i32_u (i32.eq (local.get $byte) (i32.const 0x7b)))))
          (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
          (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
          (local.set $next (i32.load8_u (local.get $at)))
          ;; Its own closing one is two above it; else a member begins, or an element.
          (if (i32.eq (local.get $next) (i32.add (local.get $byte) (i32.const 2)))
            (then (local.set $at (i32.add (local.get $at) (i32.const 1))))
            (else
              (if (i32.eq (local.get $byte) (i32.const 0x7b))
                (then
                  (local.set $at (call $key (local.get $at) (local.get $end)))
                  (br_if $begin (i32.ne (local.get $at) (i32.const -1)))
                  (return (i32.const -1))))
              (br_if $begin
                (i32.and
                  (i32.ne (local.get $next) (i32.const 0x2d))
                  (i32.gt_u (i32.sub (local.get $next) (i32.const 0x30)) (i32.const 9))))
              (local.set $next (call $numbers (local.get $at) (local.get $end) (i32.const 0)))
              (br_if $begin (i32.eq (local.get $next) (i32.const -1)))
              (local.set $at (local.get $next))))
          (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
          (local.set $objects (i64.shr_u (local.get $objects) (i64.const 1))))
        (else
          (local.set $at
            (call $scalar
              (local.get $at)
              (local.get $end)
              (i32.and
                (i32.ne (local.get $depth) (i32.const 0))
                (i32.eqz (i32.and (i32.wrap_i64 (local.get $objects)) (i32.const 1))))))
          (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))))
      ;; A value has ended: so may the ones around it.
      (loop $ended
        (if (i32.eqz (local.get $depth))
          (then
            (if (i32.gt_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
            (return (local.get $at))))
        (local.set $at (call $space (local.get $at) (local.get $end)))
        (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
        (local.set $byte (i32.load8_u (local.get $at)))
        (local.set $next (i32.and (i32.wrap_i64 (local.get $objects)) (i32.const 1)))
        (if (i32.eq (local.get $byte) (i32.const 0x2c))
          (then
            (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
            (br_if $begin (i32.eqz (local.get $next)))
            (local.set $at (call $key (local.get $at) (local.get $end)))
            (br_if $begin (i32.ne (local.get $at) (i32.const -1)))
            (return (i32.const -1))))
        ;; The closing bracket, or the brace, which is 32 above it.
        (if
          (i32.ne
            (local.get $byte)
            (i32.add (i32.const 0x5d) (i32.shl (local.get $next) (i32.const 5))))
          (then (return (i32.const -1))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
        (local.set $objects (i64.shr_u (local.get $objects) (i64.const 1)))
        (br $ended)))
    (i32.const -1))

  ;; The place of the first byte that is no white space, or $end.
  (func $space (param $at i32) (param $end i32) (result i32)
    (local $byte i32)
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
      (local.set $byte (i32.load8_u (local.get $at)))
      ;; Nothing above a space is one; of what is below it the line feed, the tab and the carriage return are.
      (if (i32.gt_u (local.get $byte) (i32.const 0x20)) (then (return (local.get $at))))
      (if
        (i32.and
          (i32.ne (local.get $byte) (i32.const 0x20))
          (i32.and
            (i32.ne (local.get $byte) (i32.const 0x0a))
            (i32.and
              (i32.ne (local.get $byte) (i32.const 0x09))
              (i32.ne (local.get $byte) (i32.const 0x0d)))))
        (then (return (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next))
    (local.get $at))

  ;; From a key's quote to the first byte of its value, or -1.
  (func $key (param $at i32) (param $end i32) (result i32)
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (local.set $at (call $strings (local.get $at) (local.get $end) (i32.const 0)))
    (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))
    (local.set $at (call $space (local.get $at) (local.get $end)))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x3a)) (then (return (i32.const -1))))
    (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))

  ;; A string, a word or a number; with $isList the strings that follow it too. $at is before $end.
  (func $scalar (param $at i32) (param $end i32) (param $isList i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (local.get $at)))
    (if (i32.eq (local.get $byte) (i32.const 0x22))
      (then (return (call $strings (local.get $at) (local.get $end) (local.get $isList)))))
    (if (i32.eq (local.get $byte) (i32.const 0x74))
      (then (return (call $word (local.get $at) (local.get $end) (i32.const 0x65757274)))))
    (if (i32.eq (local.get $byte) (i32.const 0x6e))
      (then (return (call $word (local.get $at) (local.get $end) (i32.const 0x6c6c756e)))))
    (if (i32.eq (local.get $byte) (i32.const 0x66))
      (then
        ;; Its last four letters, one further on.
        (return
          (call $word
            (i32.add (local.get $at) (i32.const 1))
            (local.get $end)
            (i32.const 0x65736c61)))))
    (call $number (local.get $at) (local.get $end)))

  ;; The place behind the four $letters at $at, or -1.
  (func $word (param $at i32) (param $end i32) (param $letters i32) (result i32)
    (if (i32.gt_u (i32.add (local.get $at) (i32.const 4)) (local.get $end)) (then (return (i32.const -1))))
    (if (i32.ne (i32.load (local.get $at)) (local.get $letters)) (then (return (i32.const -1))))
    (i32.add (local.get $at) (i32.const 4)))

  ;; The place behind any number, or -1. $at is before $end.
  (func $number (param $at i32) (param $end i32) (result i32)
    (local $behind i32) (local $byte i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (local.set $behind (call $digits (local.get $at) (local.get $end)))
    (if (i32.eq (local.get $behind) (local.get $at)) (then (return (i32.const -1))))
    ;; No zero before other digits: the number ends behind it, and what follows is for the caller to refuse.
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x30))
      (then (local.set $behind (i32.add (local.get $at) (i32.const 1)))))
    (local.set $at (local.get $behind))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e))
      (then
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $behind (call $digits (local.get $at) (local.get $end)))
        (if (i32.eq (local.get $behind) (local.get $at)) (then (return (i32.const -1))))
        (local.set $at (local.get $behind))
        (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))))
    ;; An e of either case.
    (if (i32.eq (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x65))
      (then
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.or (i32.eq (local.get $byte) (i32.const 0x2b)) (i32.eq (local.get $byte) (i32.const 0x2d)))
          (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (local.set $behind (call $digits (local.get $at) (local.get $end)))
        (if (i32.eq (local.get $behind) (local.get $at)) (then (return (i32.const -1))))
        (local.set $at (local.get $behind))))
    (local.get $at))

  ;; The place behind the digits at $at.
  (func $digits (param $at i32) (param $end i32) (result i32)
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $at))))
      (if (i32.gt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)) (i32.const 9))
        (then (return (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next))
    (local.get $at))

  ;; Proves that from $at to $end there is one object, with white space around it or not, and writes its tape to $to,
  ;; where there is room for $limit entries: one for each member of an object down to the fourth level, and for each
  ;; object in an array. Gives how many there are, or -1 where it is not proven or has too many. An entry has nine
  ;; 32-bit numbers:
  ;;   0 bytes of the key, or -1 for an object in an array     1 the first four of them, zeros behind a shorter key
  ;;   2 where the key is                                      3 where the value is
  ;;   4 the place behind the value                            5 number of the entry behind all that is in the value
  ;;   6 what the value is: 1 a list of whole numbers, 2 of strings, 3 of whole numbers that increase, each without
  ;;     spaces; 0 anything else; and 8 where the key has an escape
  ;;   7 how many are in such a list                           8 the last number of a list that increases
  (func $tape (export "tape")
    (param $at i32) (param $end i32) (param $to i32) (param $limit i32) (result i32)
    (global.set $tapeAt (local.get $to))
    (global.set $entries (i32.const 0))
    (global.set $room (local.get $limit))
    (local.set $at (call $space (local.get $at) (local.get $end)))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x7b)) (then (return (i32.const -1))))
    (local.set $at (call $object (local.get $at) (local.get $end) (i32.const 1)))
    (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))
    (if (i32.ne (call $space (local.get $at) (local.get $end)) (local.get $end))
      (then (return (i32.const -1))))
    (global.get $entries))

  ;; The place of a new entry, or -1 where there is no room.
  (func $entry (param $keyBytes i32) (result i32)
    (local $entry i32)
    (if (i32.ge_u (global.get $entries) (global.get $room)) (then (return (i32.const -1))))
    (local.set $entry (i32.add (global.get $tapeAt) (i32.mul (global.get $entries) (i32.const 36))))
    (global.set $entries (i32.add (global.get $entries) (i32.const 1)))
    (i32.store (local.get $entry) (local.get $keyBytes))
    (i32.store (i32.add (local.get $entry) (i32.const 24)) (i32.const 0))
    (local.get $entry))

  ;; $at is an opening brace. Gives the place behind the object, or -1.
  (func $object (param $at i32) (param $end i32) (param $level i32) (result i32)
    (local $entry i32) (local $behind i32) (local $bytes i32) (local $byte i32)
    (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x7d))
      (then (return (i32.add (local.get $at) (i32.const 1)))))
    (loop $member
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (global.set $hasEscape (i32.const 0))
      (local.set $behind (call $strings (local.get $at) (local.get $end) (i32.const 0)))
      (if (i32.eq (local.get $behind) (i32.const -1)) (then (return (i32.const -1))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $bytes (i32.sub (i32.sub (local.get $behind) (local.get $at)) (i32.const 1)))
      (local.set $entry (call $entry (local.get $bytes)))
      (if (i32.eq (local.get $entry) (i32.const -1)) (then (return (i32.const -1))))
      (i32.store (i32.add (local.get $entry) (i32.const 4)) (i32.load (local.get $at)))
      (if (i32.lt_u (local.get $bytes) (i32.const 4))
        (then
          (i32.store
            (i32.add (local.get $entry) (i32.const 4))
            (i32.and
              (i32.load (local.get $at))
              (i32.sub
                (i32.shl (i32.const 1) (i32.shl (local.get $bytes) (i32.const 3)))
                (i32.const 1))))))
      (i32.store (i32.add (local.get $entry) (i32.const 8)) (local.get $at))
      (i32.store
        (i32.add (local.get $entry) (i32.const 24))
        (i32.shl (global.get $hasEscape) (i32.const 3)))
      (local.set $at (call $space (local.get $behind) (local.get $end)))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x3a)) (then (return (i32.const -1))))
      (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
      (i32.store (i32.add (local.get $entry) (i32.const 12)) (local.get $at))
      (local.set $at (call $recorded (local.get $at) (local.get $end) (local.get $level) (local.get $entry)))
      (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))
      (i32.store (i32.add (local.get $entry) (i32.const 16)) (local.get $at))
      (i32.store (i32.add (local.get $entry) (i32.const 20)) (global.get $entries))
      (local.set $at (call $space (local.get $at) (local.get $end)))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.eq (local.get $byte) (i32.const 0x7d)) (then (return (local.get $at))))
      (if (i32.ne (local.get $byte) (i32.const 0x2c)) (then (return (i32.const -1))))
      (local.set $at (call $space (local.get $at) (local.get $end)))
      (br $member))
    (i32.const -1))

  ;; The value of the member that has $entry. Gives the place behind it, or -1.
  (func $recorded (param $at i32) (param $end i32) (param $level i32) (param $entry i32) (result i32)
    (local $byte i32)
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (local.set $byte (i32.load8_u (local.get $at)))
    (if (i32.eq (local.get $byte) (i32.const 0x5b))
      (then
        (return (call $array (local.get $at) (local.get $end) (local.get $level) (local.get $entry)))))
    (if (i32.ne (local.get $byte) (i32.const 0x7b))
      (then (return (call $scalar (local.get $at) (local.get $end) (i32.const 0)))))
    (if (i32.eq (local.get $level) (i32.const 4))
      (then (return (call $value (local.get $at) (local.get $end)))))
    (call $object (local.get $at) (local.get $end) (i32.add (local.get $level) (i32.const 1))))

  ;; $at is an opening bracket, the value of the member that has $entry. Gives the place behind the array, or -1.
  (func $array (param $at i32) (param $end i32) (param $level i32) (param $entry i32) (result i32)
    (local $first i32) (local $byte i32) (local $behind i32) (local $kind i32)
    (local.set $first (i32.add (local.get $at) (i32.const 1)))
    (if (i32.ge_u (local.get $first) (local.get $end)) (then (return (i32.const -1))))
    (local.set $byte (i32.load8_u (local.get $first)))
    (if (i32.eq (local.get $byte) (i32.const 0x22))
      (then
        (local.set $behind (call $strings (local.get $first) (local.get $end) (i32.const 1)))
        (if
          (i32.and
            (i32.ne (local.get $behind) (i32.const -1))
            (i32.lt_u (local.get $behind) (local.get $end)))
          (then
            (if (i32.eq (i32.load8_u (local.get $behind)) (i32.const 0x5d))
              (then
                (call $list (local.get $entry) (i32.const 2))
                (return (i32.add (local.get $behind) (i32.const 1)))))))))
    (if
      (i32.or
        (i32.eq (local.get $byte) (i32.const 0x2d))
        (i32.le_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 9)))
      (then
        (local.set $kind (i32.const 3))
        (local.set $behind (call $numbers (local.get $first) (local.get $end) (i32.const 1)))
        (if (i32.eq (local.get $behind) (i32.const -1))
          (then
            (local.set $kind (i32.const 1))
            (local.set $behind (call $numbers (local.get $first) (local.get $end) (i32.const 0)))))
        (if (i32.ne (local.get $behind) (i32.const -1))
          (then
            (call $list (local.get $entry) (local.get $kind))
            (return (local.get $behind))))))
    (if (i32.eq (local.get $level) (i32.const 4))
      (then (return (call $value (local.get $at) (local.get $end)))))
    (call $elements (local.get $at) (local.get $end) (local.get $level)))

  ;; Notes that the value of $entry is a list of this kind, which has just been passed.
  (func $list (param $entry i32) (param $kind i32)
    (i32.store
      (i32.add (local.get $entry) (i32.const 24))
      (i32.or (i32.load (i32.add (local.get $entry) (i32.const 24))) (local.get $kind)))
    (i32.store (i32.add (local.get $entry) (i32.const 28)) (global.get $count))
    (i32.store (i32.add (local.get $entry) (i32.const 32)) (i32.wrap_i64 (global.get $last))))

  ;; $at is an opening bracket. Gives the place behind the array, or -1; each object in it has an entry.
  (func $elements (param $at i32) (param $end i32) (param $level i32) (result i32)
    (local $entry i32) (local $byte i32)
    (local.set $at (call $space (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
    (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x5d))
      (then (return (i32.add (local.get $at) (i32.const 1)))))
    (loop $element
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x7b))
        (then
          (local.set $entry (call $entry (i32.const -1)))
          (if (i32.eq (local.get $entry) (i32.const -1)) (then (return (i32.const -1))))
          (i32.store (i32.add (local.get $entry) (i32.const 12)) (local.get $at))
          (local.set $at
            (call $object (local.get $at) (local.get $end) (i32.add (local.get $level) (i32.const 1))))
          (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))
          (i32.store (i32.add (local.get $entry) (i32.const 16)) (local.get $at))
          (i32.store (i32.add (local.get $entry) (i32.const 20)) (global.get $entries)))
        (else
          (local.set $at (call $value (local.get $at) (local.get $end)))
          (if (i32.eq (local.get $at) (i32.const -1)) (then (return (i32.const -1))))))
      (local.set $at (call $space (local.get $at) (local.get $end)))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.eq (local.get $byte) (i32.const 0x5d)) (then (return (local.get $at))))
      (if (i32.ne (local.get $byte) (i32.const 0x2c)) (then (return (i32.const -1))))
      (local.set $at (call $space (local.get $at) (local.get $end)))
      (br $element))
    (i32.const -1))
)
