// {{name}} as a testee of vmconf: requests on standard input, answers on standard output.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
)

type object = map[string]any

type request struct {
	Type    string
	Id      uint64
	Machine string
	Program object
	Steps   []struct {
		Do      []any
		Observe []string
	}
}

var hello = object{
	"type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Go",
	// The fields of the state that run reports; `vmconf serve {{machine}}` answers hello with all that there are.
	"machines": []object{{"machine": "{{machine}}", "fields": []string{}}},
}

// The program needs what this machine does not have.
var errUnsupported = errors.New("nothing is implemented yet")

// Runs a program on a fresh machine; the fields of the state by name. TODO: call your machine here.
func run(program object, actions []any) (object, error) {
	if len(program) == 0 {
		return nil, errors.New("the program is empty")
	}
	return nil, errUnsupported
}

func answer(asked request) object {
	if asked.Type == "hello" {
		return hello
	}
	if asked.Type != "run" || asked.Machine != "{{machine}}" {
		return object{"type": "skip", "id": asked.Id, "reason": "no such request or machine"}
	}
	states := []object{}
	for _, step := range asked.Steps {
		state, err := run(asked.Program, step.Do)
		if errors.Is(err, errUnsupported) {
			return object{"type": "skip", "id": asked.Id, "reason": err.Error()}
		} else if err != nil {
			return object{"type": "error", "id": asked.Id, "message": err.Error()}
		}
		fields := object{}
		for _, name := range step.Observe {
			if value, ok := state[name]; ok {
				fields[name] = value
			}
		}
		states = append(states, object{"fields": fields})
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
		out.Encode(answer(asked))
	}
}
