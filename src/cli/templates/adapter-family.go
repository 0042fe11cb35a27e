// {{name}} as a testee of vmconf for the family {{machine}}: requests on standard input, answers on standard output.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"sort"
	"strconv"
)

type object = map[string]any

type request struct {
	Type    string
	Id      uint64
	Machine string
	Program map[string]json.RawMessage
	Steps   []struct {
		Do      []json.RawMessage
		Observe []string
	}
}

var hello = object{
	"type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Go",
	// Remove the fields that your machine does not have{{optional}}.
	"machines": []object{{"machine": "{{machine}}", "actions": []string{{{actions}}}, "fields": []string{
{{fields}}
	}}},
}

// The program needs what this machine does not have.
type unsupported struct{ what string }

func (it unsupported) Error() string { return it.what }

// A sparse memory. A cell that is not listed is 0.
type memory map[uint64]uint64

// The text of a value; "" if it is not given.
func text(value json.RawMessage) string {
	var text string
	if value != nil {
		if err := json.Unmarshal(value, &text); err != nil {
			panic(err)
		}
	}
	return text
}

// A number as vmconf writes it; 0 if it is not given.
func unsigned(value json.RawMessage) uint64 {
	number, _ := strconv.ParseUint(text(value), 0, 64)
	return number
}

func signed(value json.RawMessage) int64 {
	number, _ := strconv.ParseInt(text(value), 0, 64)
	return number
}

// A number that may have more than 64 bits.
func wide(value json.RawMessage) *big.Int {
	number, isNumber := new(big.Int).SetString(text(value), 0)
	if !isNumber {
		return new(big.Int)
	}
	return number
}

func cells(value json.RawMessage) memory {
	var pairs [][2]json.RawMessage
	if value != nil {
		if err := json.Unmarshal(value, &pairs); err != nil {
			panic(err)
		}
	}
	cells := memory{}
	for _, pair := range pairs {
		cells[unsigned(pair[0])] = unsigned(pair[1])
	}
	return cells
}

// A fresh machine with what the case gives. TODO: call yours here.
type machine struct{ state map[string]any }

func newMachine(program map[string]json.RawMessage) machine {
	state := map[string]any{}
{{loads}}
	return machine{state}
}

// Performs an action, such as "execute".
func (it machine) perform(action json.RawMessage) error {
	return unsupported{"nothing is implemented yet"}
}

// A field of the state; nil if the machine does not have it. A memory is a list of pairs of address and cell.
func (it machine) report(name string) any {
	switch value := it.state[name].(type) {
	case uint64, int64, *big.Int:
		return fmt.Sprintf("%#x", value)
	case memory:
		return pairs(value)
	case json.RawMessage:
		if value != nil {
			return value
		}
	}
	return nil
}

func pairs(cells memory) [][2]string {
	addresses := []uint64{}
	for address := range cells {
		addresses = append(addresses, address)
	}
	sort.Slice(addresses, func(one, other int) bool { return addresses[one] < addresses[other] })
	pairs := [][2]string{}
	for _, address := range addresses {
		pairs = append(pairs, [2]string{fmt.Sprintf("%#x", address), fmt.Sprintf("%#x", cells[address])})
	}
	return pairs
}

// The states of the steps.
func run(asked request) ([]object, error) {
	machine, states := newMachine(asked.Program), []object{}
	for _, step := range asked.Steps {
		for _, action := range step.Do {
			if err := machine.perform(action); err != nil {
				return nil, err
			}
		}
		fields := object{}
		for _, name := range step.Observe {
			if value := machine.report(name); value != nil {
				fields[name] = value
			}
		}
		states = append(states, object{"fields": fields})
	}
	return states, nil
}

func answer(asked request) object {
	if asked.Type == "hello" {
		return hello
	}
	if asked.Type != "run" || asked.Machine != "{{machine}}" {
		return object{"type": "skip", "id": asked.Id, "reason": "no such request or machine"}
	}
	states, err := run(asked)
	if errors.As(err, &unsupported{}) {
		return object{"type": "skip", "id": asked.Id, "reason": err.Error()}
	} else if err != nil {
		return object{"type": "error", "id": asked.Id, "message": err.Error()}
	}
	return object{"type": "done", "id": asked.Id, "steps": states}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(answer(asked)); err != nil {
			panic(err)
		}
	}
}
